//! The kind that the operator works on.
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use kube::CustomResource;
use serde::{Deserialize, Serialize};

#[derive(CustomResource, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "bench.dev", version = "v1", kind = "Echo", plural = "echoes", namespaced)]
#[kube(status = "EchoStatus", schema = "disabled")]
pub struct EchoSpec {
    #[serde(default)]
    pub text: String,
    pub n: Option<i32>,
}

#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EchoStatus {
    pub observed_generation: Option<i64>,
    pub phase: Option<String>,
    #[serde(default)]
    pub conditions: Vec<Condition>,
}
