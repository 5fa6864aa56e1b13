/** For each error code: its causes where the message does not say them, and the next step of a client. Markdown. */
import type { ErrorCode } from '@phonerack/shared'

export const advice: Readonly<Record<ErrorCode, string>> = {
  validation_failed:
    'Correct the fields that `details.issues` lists: each has a `path` and a `message`, and perhaps `alternatives`. No action ran. As the failure of a create that waited, it means that the service has no phone in that `country`.',
  invalid_request: 'Send each JSON-RPC message to `/mcp` in a separate request. Batches are not supported.',
  invalid_api_key:
    'Send `Authorization: Bearer prk_…` with a whole key. Keys are shown once: if it is lost, get another.',
  key_expired:
    'Get another key from an operator, or by terminal setup. `phonerack login` does the setup for you.',
  key_revoked: 'Get another key. If you did not expect this, ask the operator who revoked it.',
  unauthorized: 'A client cannot correct this. Send the `request_id` to the operator of the service.',
  insufficient_credits:
    'Lower `max_duration` to at most `details.max_affordable_seconds`, or buy credit: `POST /v1/credits/checkout`.',
  spend_limit_reached:
    'Wait for the next calendar month (UTC), park running phones to release their reservations, or ask the operator for a higher limit.',
  project_frozen:
    'Ask the operator of the service. A frozen project starts no sessions, and its phones are parked.',
  insufficient_scope:
    '`details.required` names the missing scope. Use a key with it: keys cannot be extended. The profile `read-only` takes away every scope except `phones:read`.',
  phone_not_allowed:
    'Use one of the phones that `GET /v1/phones` lists for this key, or a key without a limit.',
  browser_requests_not_allowed:
    'Send the request from a server or an agent, without `Origin`. A key in a web page is a key for everyone who opens it. To try requests in a browser, use the [API reference](/api).',
  setup_denied: 'The person said no. Start again with `POST /v1/setup` if they change their mind.',
  not_found:
    'Compare method and path with the [endpoints](/reference/endpoints). For a setup token, start a new setup.',
  phone_not_found:
    'List the phones of the project: `GET /v1/phones`. A phone of another project is not found either.',
  file_not_found:
    'List the folder: `GET /v1/phones/{id}/files?path=…`. `details.path` is the path that was searched.',
  app_not_found:
    'List the apps: `GET /v1/phones/{id}/apps`. While an install runs, the app is not there yet: see `GET /v1/phones/{id}/apps/installs`.',
  upload_not_found:
    'List the uploads: `GET /v1/apps/uploads`. They expire 7 days after their last install. A key that is limited to phones sees only those it created.',
  recording_not_found:
    'List the recordings: `GET /v1/phones/{id}/recordings`. They are deleted after 7 days.',
  handoff_not_found:
    'Create a hand-over: `POST /v1/phones/{id}/handoffs`. An old hand-over can be read for 7 days.',
  webhook_not_found: 'List the webhooks: `GET /v1/webhooks`.',
  event_not_found: 'Read the current state instead. Events are kept for 7 days.',
  notification_not_found:
    'List the notifications: `GET /v1/phones/{id}/notifications`. This one was opened, dismissed, or removed by its app. An update keeps its ID.',
  step_not_found:
    "List the steps: `GET /v1/phones/{id}/steps`. Steps expire like recordings, and the oldest are deleted above the project's quota. A step has a picture only if its `picture` is not null.",
  method_not_allowed: 'Use a method of the header `Allow`.',
  phone_not_running: 'Start the phone with the request in `next`, then repeat this request.',
  phone_starting:
    'Wait with `GET /v1/phones/{id}?wait=ready`, then send the request again. Nothing was done.',
  phone_parking: 'Wait with `GET /v1/phones/{id}?wait=parked`, then start the phone.',
  phone_deleted: 'Create a new phone: `POST /v1/phones`.',
  phone_failed:
    'Create a new phone with another `Idempotency-Key`; the old key returns the failed phone. `failure` of the phone has the cause.',
  idempotency_conflict:
    'Send the original body with this key, or the new body with another key. `details.phone` is the phone that the key created.',
  install_in_progress:
    'Wait for the running install, then send the request again. A phone runs two installs, and one per app.',
  version_downgrade:
    'Raise the version code above `details.installed_version_code`, or send `replace: true`, which deletes the app with its data first.',
  upload_not_ready:
    'Wait with `GET /v1/apps/uploads/{id}?wait=ready`. With `retryable` true the file is on its way to the host: send the request again in a minute.',
  storage_limit_reached:
    'Delete uploads that you no longer need: `DELETE /v1/apps/uploads/{id}`. Then complete this upload again; it keeps its file.',
  clipboard_unavailable:
    "Choose the phone's default keyboard again, or read the text from the screen. Setting the clipboard still works.",
  recording_in_progress: 'Stop the running recording with the request in `next`.',
  recording_not_ready:
    'Stop the recording if it runs; creating the video takes a few seconds. Then repeat the request.',
  recording_limit_reached: 'Delete recordings. Those of deleted phones count until they expire.',
  duplicate_upload: 'Use the upload that `next` names: it has the same file.',
  setup_expired: 'Start again with `POST /v1/setup`: a code is valid for 15 minutes.',
  setup_used: 'The key was delivered once and cannot be read again. Start a new setup.',
  key_limit: 'Ask an operator to revoke a key, then poll again: the confirmed setup waits.',
  running_limit_reached: 'Park a phone. `details.limit` counts all projects of the same owner.',
  phone_limit_reached: 'Delete a phone. Parked phones count; failed and deleted ones do not.',
  webhook_limit_reached: 'Delete a webhook, or let one receive more types.',
  phone_controlled:
    'Wait for the person with the request in `next`. Reading the screen still works. To end the hand-over, delete it.',
  handoff_in_progress: 'Wait for the open hand-over, which `details` names, or delete it.',
  handoff_required:
    'Create a hand-over with the request in `next`. The [profile](/clients/mcp#profiles) `guarded` leaves this step to a person.',
  payload_too_large:
    'JSON bodies have at most 100 KB, batches 200 KB, files to a phone 4 MB, and APK files 500 MiB.',
  range_not_satisfiable: 'Send a `Range` within the size of the file, or omit the header.',
  target_not_found:
    'Choose from `details.candidates`, scroll with `scroll_to`, or wait with `wait_for`: the element is perhaps not there yet.',
  ambiguous_target:
    'Target one of `details.candidates` by its `ref` with `details.snapshot_id`, or add `nth` to the text.',
  stale_snapshot:
    'Observe again, and use the new refs: the element moved or changed, or the snapshot is older than 15 minutes.',
  no_focused_field: 'Tap a field first, or give the action a `target`.',
  wait_timeout: 'Look at the screen in the answer. Wait longer, or correct the target.',
  shell_not_allowed:
    'Use actions on the screen. `details` says whether the kind of the phone, the profile of the request or the project forbids it; an operator can allow the first and the last.',
  phone_screen_off: 'Wake the phone: `{"type": "key", "key": "wake"}`.',
  app_not_available:
    "Search the library: `GET /v1/apps/library`. For other apps, upload an APK, or use the phone's store.",
  invalid_apk:
    '`error.next` of the upload says what is wrong with the file. Build it again, as one installable APK.',
  install_failed:
    'List the installs for the reason of the phone. A build that is signed with another key needs `replace: true`.',
  feature_unavailable: '`details.feature` names the feature. Use another phone, or another way.',
  rate_limited: 'Wait for the seconds in `Retry-After`, then send the request again.',
  internal_error:
    'Send the `request_id` to the operator. After a GET, ask again. After any other request the outcome is unknown: read the state first.',
  provider_error: 'Observe the phone. With `retryable` true nothing ran, and the request can be sent again.',
  action_outcome_unknown:
    'Do not send it again. Read the state first (`observe`, or the list in `next`): the phone may have carried it out.',
  capacity_unavailable: 'Wait for the seconds in `Retry-After`, and try again. An operator can add phones.',
  phone_unavailable:
    'Nothing was done. Send the request again after some seconds; the host may be connecting again.',
  service_paused: 'Wait: an operator maintains the service. Running phones were parked.',
  service_unavailable: '`next` says whether anything was done, and when to send the request again.',
  storage_full: 'Try again later, or tell the operator: the storage for apps is full.',
  billing_not_configured: 'Ask the operator for credit: this service takes no payments.',
  provider_timeout: 'A read can be sent again. After a write, read the state first.',
  upload_failed: 'Create a new upload, and send the file again.',
  platform_not_configured: 'Tell the operator: this service has no storage for apps.',
}
