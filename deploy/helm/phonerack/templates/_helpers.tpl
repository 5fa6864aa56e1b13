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

{{- define "phonerack.databaseUrl" -}}
- name: DATABASE_URL
  valueFrom: { secretKeyRef: { name: {{ .Values.database.existingSecret | quote }}, key: url } }
{{- end }}
