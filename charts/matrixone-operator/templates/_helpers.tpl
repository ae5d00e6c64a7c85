{{- define "matrixone-operator.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "matrixone-operator.fullname" -}}
{{- $name := default .Chart.Name .Values.nameOverride }}
{{- $full := ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) }}
{{- default $full .Values.fullnameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "matrixone-operator.selectorLabels" -}}
app.kubernetes.io/name: {{ include "matrixone-operator.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "matrixone-operator.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{ include "matrixone-operator.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "matrixone-operator.serviceAccountName" -}}
{{- default (ternary (include "matrixone-operator.fullname" .) "default" (not (not .Values.serviceAccount.create))) .Values.serviceAccount.name }}
{{- end }}

{{- define "matrixone-operator.image" -}}
{{ .Values.globalRegistryPrefix }}{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{/* Metadata of an object in the namespace of the release: the argument is (list context name). */}}
{{- define "matrixone-operator.metadata" -}}
{{- $root := index . 0 -}}
name: {{ index . 1 }}
namespace: {{ $root.Release.Namespace }}
labels:
  {{- include "matrixone-operator.labels" $root | nindent 2 }}
{{- end }}

{{/* The port of a flag HOST:PORT in args, in any of its spellings; empty when it is 0. The argument is (list args flag default). */}}
{{- define "matrixone-operator.port" -}}
{{- $flag := index . 1 -}}
{{- $value := index . 2 -}}
{{- $next := false -}}
{{- range index . 0 -}}
{{- if $next }}{{ $value = . }}{{ $next = false -}}
{{- else if regexMatch (printf "^--?%s$" $flag) . }}{{ $next = true -}}
{{- else if regexMatch (printf "^--?%s=" $flag) . }}{{ $value = regexReplaceAll "^[^=]*=" . "" -}}
{{- end -}}
{{- end -}}
{{- if ne $value "0" }}{{ regexFind "[0-9]+$" $value }}{{ end -}}
{{- end }}

{{/* Whether one of several replicas acts alone: "true" when args say so last, in any spelling of the flag. The argument is args. */}}
{{- define "matrixone-operator.elects" -}}
{{- $elects := "" -}}
{{- range . -}}
{{- if regexMatch "^--?leader-elect$" . }}{{ $elects = "true" -}}
{{- else if regexMatch "^--?leader-elect=" . }}{{ $elects = ternary "true" "" (regexMatch "=(1|t|T|true|TRUE|True)$" .) -}}
{{- end -}}
{{- end -}}
{{ $elects }}
{{- end }}

{{/* Whose webhooks are: "own" of this chart, "given" with a Secret from elsewhere, or empty: there are none. */}}
{{- define "matrixone-operator.webhooks" -}}
{{- if eq (toString (get (.Values.env | default dict) "ENABLE_WEBHOOKS")) "false" -}}
{{- else if .Values.webhook.createResource -}}own
{{- else if .Values.webhook.secretName -}}given
{{- end -}}
{{- end }}

{{/* The name of a webhook configuration; the argument is (list context "mutating" or "validating"). */}}
{{- define "matrixone-operator.configuration" -}}
matrixone-operator-{{ index . 1 }}-webhook-{{ (index . 0).Release.Name }}
{{- end }}

{{- define "matrixone-operator.certificateSecret" -}}
{{ include "matrixone-operator.name" . }}-webhook-certs
{{- end }}
