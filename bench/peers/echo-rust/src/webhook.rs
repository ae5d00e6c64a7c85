//! Serves /mutate-bench-dev-v1-echo and /validate-bench-dev-v1-echo.
use std::{env, io, net::SocketAddr};

use axum::{Json, Router, routing::post};
use axum_server::{Handle, tls_rustls::RustlsConfig};
use json_patch::{AddOperation, Patch, PatchOperation, jsonptr::PointerBuf};
use kube::core::{
    DynamicObject,
    admission::{AdmissionRequest, AdmissionResponse, AdmissionReview, SerializePatchError},
};

use crate::kind::Echo;

type Review = Json<AdmissionReview<DynamicObject>>;

/// Returns when it listens.
pub async fn serve(port: u16) -> io::Result<()> {
    let file = |name| env::var(name).unwrap_or_default();
    let tls = RustlsConfig::from_pem_file(file("WEBHOOK_CERT"), file("WEBHOOK_KEY")).await?;
    let routes = Router::new()
        .route("/mutate-bench-dev-v1-echo", post(mutate))
        .route("/validate-bench-dev-v1-echo", post(validate));
    let handle = Handle::new();
    let server = axum_server::bind_rustls(SocketAddr::from(([0, 0, 0, 0], port)), tls).handle(handle.clone());
    let serving = tokio::spawn(server.serve(routes.into_make_service()));
    match handle.listening().await {
        Some(_) => Ok(()),
        None => serving.await.unwrap_or_else(|error| Err(io::Error::other(error))),
    }
}

async fn mutate(Json(review): Json<AdmissionReview<Echo>>) -> Review {
    answered(review, |echo, response| match echo.spec.n {
        Some(_) => Ok(response),
        None => {
            let three = AddOperation { path: PointerBuf::from_tokens(["spec", "n"]), value: 3.into() };
            response.with_patch(Patch(vec![PatchOperation::Add(three)]))
        }
    })
}

async fn validate(Json(review): Json<AdmissionReview<Echo>>) -> Review {
    answered(review, |echo, response| match echo.spec.text.as_str() {
        "bad" => Ok(response.deny("spec.text: must not be bad")),
        _ => Ok(response),
    })
}

fn answered(
    review: AdmissionReview<Echo>,
    judge: impl FnOnce(&Echo, AdmissionResponse) -> Result<AdmissionResponse, SerializePatchError>,
) -> Review {
    let answer = match TryInto::<AdmissionRequest<Echo>>::try_into(review) {
        Err(error) => AdmissionResponse::invalid(error),
        Ok(request) => {
            let response = AdmissionResponse::from(&request);
            match request.object.as_ref().map(|echo| judge(echo, response.clone())) {
                None => response,
                Some(Ok(judged)) => judged,
                Some(Err(error)) => response.deny(error),
            }
        }
    };
    Json(answer.into_review())
}
