/** What each operation does beyond its summary, for those whose route says no more. By `operationId`; a test finds that none lacks one. */

export const descriptions: Readonly<Record<string, string>> = {
  createPhone:
    'Takes a free device, opens a session and reserves credit for `max_duration`. Answers `201` once the phone is `ready`, or `202` after about 50 seconds while it is still `creating`: then poll `GET /v1/phones/{id}?wait=ready`. Send an `Idempotency-Key`, so that a repeated request does not create a second phone.',
  listPhones:
    'Newest first. Phones that are `failed` or `deleted` are listed only when `status` asks for them. A key that is limited to certain phones sees only those.',
  getPhone:
    'With `wait`, answers as soon as the phone is ready or parked, or cannot become so any more, and at the latest after `timeout` seconds with the phone as it is.',
  updatePhone:
    'Changes the name, the metadata or the idle timeout. Fields that are left out stay as they are.',
  deletePhone:
    'Ends the session, if there is one, and gives the device back to be wiped. Apps and data of the phone are lost. Repeating the request answers the same.',
  startPhone:
    'Opens a session on a parked or unavailable phone and reserves credit for `max_duration`. On a running phone it renews the session: the deadline moves to `max_duration` seconds from now, if that is later, and credit for that time is reserved in addition.',
  parkPhone:
    'Ends the session and its billing. Apps, data and the device stay with the phone until it is deleted. Parking a parked phone changes nothing.',
  heartbeatPhone: 'Counts as activity, so that `parks_at` moves to `idle_timeout` seconds from now.',
  listSessions: 'Newest first, with the time and cost of each. Sessions of deleted phones stay listed.',
  observe:
    'Reads the elements on the screen, numbered from top to bottom, and stores them for 15 minutes so that actions can refer to them by `ref` and `snapshot_id`. `format=text` returns the compact text form.',
  screenshot:
    'Returns the screen as PNG or JPEG. Coordinates of actions are device pixels: divide those of a scaled image by `X-Screen-Scale`.',
  runActions:
    'Runs up to 20 actions in order and stops at the first that fails. The answer is `200` with one result for each action that began, also when one failed. Actions are never retried.',
  listFiles: 'Lists a directory of the shared storage. Symbolic links are not followed.',
  deleteFile: 'Deletes one file of the shared storage. Directories are not deleted.',
  readFile: 'Downloads one file of the shared storage, up to 4 MB.',
  getDevice:
    'Returns brand, model, Android version, screen and carrier; `null` where the phone does not say.',
  getClipboard:
    'Returns the text in the clipboard. Phones that let nobody read it answer `409 clipboard_unavailable`.',
  setClipboard: 'Replaces the text in the clipboard; nothing is pasted.',
  getLocation: 'Returns where the phone believes it is.',
  setLocation:
    'Sets where the phone believes it is, until it is set again or reset. The time zone follows unless `timezone_from_location` is `false`.',
  resetLocation:
    'Returns to the default location of the service, and to its time zone unless `timezone_from_location` is `false`.',
  getLocale: 'Returns language and region of the system.',
  setLocale: 'Changes language and region of the system; apps that are open may restart their screens.',
  getTimezone: 'Returns the time zone of the system, or `null` while it is the default of the phone.',
  setTimezone: 'Changes the time zone of the system until it is set again.',
  listRecordings: 'Recordings of this phone, newest first. Each is deleted 7 days after it started.',
  listUploads:
    'Uploads of the project, newest first. A key that is limited to certain phones sees only its own.',
  getUpload: 'Returns the upload, or, with `wait`, answers once it has been processed.',
  completeUpload:
    'Ends the upload after its file was sent, and starts reading the APK: `202` while that takes longer, then poll `GET /v1/apps/uploads/{id}?wait=ready`. `storage_id` is the `storageId` that the upload URL answered.',
  listInstalls: 'What became of the installs on this phone, newest first, and which still run.',
  getAccount:
    'Returns credit, reservations, limits, the price, and the countries in which phones can be created.',
  collectSetup:
    'Poll every 3 seconds. Answers `pending` until a person has confirmed the setup, then the API key exactly once.',
}
