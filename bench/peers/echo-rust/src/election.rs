//! Leader election. kube-rs has none: this is the lease of kubert, asked as often as other operators ask for theirs.
use std::{process, time::Duration};

use k8s_openapi_of_kubert::api::coordination::v1::{Lease, LeaseSpec};
use kube_client_of_kubert::{Api, Client, Error as ApiError, api::PostParams};
use kubert::lease::{ClaimParams, Error, LeaseManager};
use tokio::time::{Instant, sleep, timeout};

const RENEW_DEADLINE: Duration = Duration::from_secs(10);
const RETRY_PERIOD: Duration = Duration::from_secs(2);
/// It is renewed whenever it is asked for, as its grace is all of it.
const CLAIM: ClaimParams =
    ClaimParams { lease_duration: Duration::from_secs(15), renew_grace_period: Duration::from_secs(15) };

pub struct Election {
    lease: LeaseManager,
    claimant: String,
}

impl Election {
    /// Sees to it that there is a lease, which kubert asks for.
    pub async fn new(namespace: &str, name: &str) -> Result<Self, Box<dyn std::error::Error>> {
        let leases = Api::<Lease>::namespaced(Client::try_default().await?, namespace);
        let mut lease = Lease { spec: Some(LeaseSpec::default()), ..Lease::default() };
        lease.metadata.name = Some(name.into());
        match leases.create(&PostParams::default(), &lease).await {
            Err(ApiError::Api(answer)) if answer.code == 409 => {}
            other => drop(other?),
        }
        let claimant = format!("{}-{}", std::env::var("HOSTNAME").unwrap_or_else(|_| "echo".into()), process::id());
        Ok(Self { lease: LeaseManager::init(leases, name).await?, claimant })
    }

    /// Waits until this replica leads.
    pub async fn acquire(&self) {
        while !self.claim().await.is_ok_and(|held| held) {
            sleep(RETRY_PERIOD).await;
        }
    }

    /// Renews the claim, until it is lost.
    pub async fn hold(&self) {
        let mut renewed = Instant::now();
        while renewed.elapsed() < RENEW_DEADLINE {
            sleep(RETRY_PERIOD).await;
            match timeout(RENEW_DEADLINE.saturating_sub(renewed.elapsed()), self.claim()).await {
                Ok(Ok(true)) => renewed = Instant::now(),
                Ok(Ok(false)) => return,
                Ok(Err(error)) => eprintln!("the lease was not renewed: {error}"),
                Err(_) => {}
            }
        }
    }

    /// Lets another replica lead at once.
    pub async fn release(&self) -> Result<(), Error> {
        self.lease.vacate(&self.claimant).await.map(drop)
    }

    async fn claim(&self) -> Result<bool, Error> {
        self.lease.sync().await?;
        let claim = self.lease.ensure_claimed(&self.claimant, &CLAIM).await?;
        Ok(claim.is_current_for(&self.claimant))
    }
}
