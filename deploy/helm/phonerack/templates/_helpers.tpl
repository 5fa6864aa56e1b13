{{- define "phonerack.labels" -}}
app.kubernetes.io/name: phonerack
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "phonerack.selector" -}}
app.kubernetes.io/name: phonerack
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "phonerack.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "phonerack.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{- define "phonerack.pullSecrets" -}}
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- range . }}
  - { name: {{ . | quote }} }
  {{- end }}
{{- end }}
{{- end }}

{{- define "phonerack.serviceAccount" -}}
{{- .Values.serviceAccount.name | default (ternary .Release.Name "default" .Values.serviceAccount.create) -}}
{{- end }}

{{/* The secret settings of the control plane, each with its Secret and the key in it. */}}
{{- define "phonerack.secretSettings" -}}
- { name: DATABASE_URL, secret: {{ .Values.database.existingSecret | quote }}, key: url }
{{- with .Values.storage.existingSecret }}
- { name: S3_ACCESS_KEY_ID, secret: {{ . | quote }}, key: access-key-id }
- { name: S3_SECRET_ACCESS_KEY, secret: {{ . | quote }}, key: secret-access-key }
{{- end }}
{{- range $name, $from := .Values.controlPlane.secrets }}
- { name: {{ $name }}, secret: {{ $from.existingSecret | quote }}, key: {{ $from.key | quote }} }
{{- end }}
{{- end }}

{{/* Their variables, and their volume: files, so that no value is in an environment. The argument is their list. */}}
{{- define "phonerack.secretVariables" -}}
{{- range . }}
- { name: {{ .name }}_FILE, value: /etc/phonerack-secrets/{{ .name }} }
{{- end }}
{{- end }}

{{- define "phonerack.secretVolume" -}}
- name: secrets
  projected:
    defaultMode: 0440
    sources:
      {{- range . }}
      - secret: { name: {{ .secret | quote }}, items: [{ key: {{ .key | quote }}, path: {{ .name }} }] }
      {{- end }}
{{- end }}

{{/* The authority of the certificate of Postgres, for `sslrootcert` in the URL. */}}
{{- define "phonerack.databaseCaMount" -}}
{{- if .Values.database.caSecret }}
- { name: database-ca, mountPath: /etc/phonerack-postgres, readOnly: true }
{{- end }}
{{- end }}

{{- define "phonerack.databaseCaVolume" -}}
{{- with .Values.database.caSecret }}
- name: database-ca
  secret: { secretName: {{ . | quote }}, items: [{ key: ca.crt, path: ca.crt }] }
{{- end }}
{{- end }}
