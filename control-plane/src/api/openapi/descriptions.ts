/**
 * Descriptions of operations whose route has only a summary, by `operationId`. A test checks that
 * none is missing.
 */

export const descriptions: Readonly<Record<string, string>> = {
  createPhone:
    'Allocates a free device, opens a session and reserves credit for `max_duration`. Returns `201` once the phone is `ready`, or `202` if it is still `creating` after about 50 seconds; then poll `GET /v1/phones/{id}?wait=ready`. Send an `Idempotency-Key` so that a retry does not create a second phone.',
  listPhones:
    'Lists phones, newest first. Phones that are `failed` or `deleted` are listed only when `status` includes their status. A key that is limited to certain phones sees only these phones.',
  getPhone:
    'Returns the phone. With `wait`, responds as soon as the phone reaches that status or can no longer reach it. After `timeout` seconds, the request returns the phone in its current state.',
  updatePhone: 'Changes the name or the metadata. Omitted fields keep their value.',
  deletePhone:
    "Ends the session, if there is one, and releases the device to be wiped. The phone's apps and data are lost. Repeating the request returns the same response.",
  startPhone:
    'Opens a session on a parked or unavailable phone and reserves credit for `max_duration`. On a running phone, renews the session: the deadline moves to `max_duration` seconds from now if that is later, and credit for the additional time is reserved.',
  parkPhone:
    'Ends the session and its billing. The phone keeps its apps, data and device until it is deleted. Parking a parked phone has no effect.',
  heartbeatPhone: 'The request counts as activity: `parks_at` moves to `idle_timeout` seconds from now.',
  listSessions:
    'Lists sessions, newest first, with the time and cost of each. The sessions of a deleted phone remain listed.',
  observe:
    'Returns the elements on the screen, numbered from top to bottom, and stores them for 15 minutes so that actions can refer to them by `ref` and `snapshot_id`. `format=text` returns the compact text form.',
  screenshot:
    'Returns the screen as PNG or JPEG. Actions use device pixels: divide the coordinates of a scaled image by `X-Screen-Scale`.',
  runActions:
    'Runs up to 20 actions in order and stops at the first failure. The response is `200` with one result for each action that was started, even if one failed. The response is `409 handoff_required` only when the profile `guarded` leaves the first action to a person. Actions are never retried.',
  runShell:
    'Runs a command once in the shell of the phone (`sh`, as the user `shell`). A command that fails answers `200` with its `exit_code`. Up to 1 MB of output is returned. Processes that the command leaves in the background end with the session. Redirect the output of these processes, or the command ends only when they end. Real phones refuse shell commands with `403 shell_not_allowed` unless the operator allows them.',
  listFiles: 'Lists a directory in shared storage. Symbolic links are not followed.',
  deleteFile: 'Deletes one file from shared storage. Directories cannot be deleted.',
  readFile: 'Downloads one file of up to 4 MB from shared storage.',
  getDevice:
    'Returns brand, model, Android version, screen and carrier. A value that the phone does not report is `null`.',
  getClipboard:
    'Returns the text in the clipboard. A phone whose clipboard cannot be read answers `409 clipboard_unavailable`.',
  setClipboard: 'Replaces the text in the clipboard without pasting it.',
  getLocation: 'Returns the location that apps on the phone see.',
  setLocation:
    'Sets the location that apps on the phone see, until it is set again or reset. The time zone is set to match unless `timezone_from_location` is `false`.',
  resetLocation:
    'Restores the default location of the service, and its time zone unless `timezone_from_location` is `false`.',
  getLocale: 'Returns the system language and region.',
  setLocale: 'Changes the system language and region. Open apps may restart their screens.',
  getTimezone: "Returns the system time zone, or `null` while the phone's default applies.",
  setTimezone: 'Changes the system time zone until it is set again.',
  listRecordings:
    'Lists the recordings of this phone, newest first. A recording is deleted 7 days after its start.',
  listUploads:
    'Lists the uploads of the project, newest first. A key that is limited to certain phones sees only the uploads that it created.',
  getUpload: 'Returns the upload. With `wait`, responds once the upload has been processed.',
  completeUpload:
    'Completes the upload after its file was sent, and starts processing the APK. Returns `202` if processing takes longer; then poll `GET /v1/apps/uploads/{id}?wait=ready`. `storage_id` is the `storageId` that the upload URL returned.',
  listInstalls: 'Lists running and finished installs on this phone, newest first, with their outcome.',
  getAccount:
    'Returns credit, reservations, limits, the price, and the countries where phones can be created.',
  collectSetup:
    'Returns `pending` until a person confirms the setup, then returns the API key exactly once. Poll every 3 seconds.',
}
