/// <reference lib="esnext.disposable" preserve="true" />
/** `@phonerack/sdk`: rent real Android phones, read their screens, act on them, hand them to people. */
export { Phonerack, type PhonerackOptions } from './phonerack.js'
export { Phonerack as default } from './phonerack.js'
export { Phone } from './phone.js'
export {
  type ActOptions,
  type ActResult,
  type ScreenshotOptions,
  type StartOptions,
  type TargetOptions,
} from './phone-options.js'
export { Phones, type CreateOptions, type GetOrCreateOptions, type ListOptions } from './phones.js'
export { Apps, type LibraryApp } from './apps.js'
export { Device } from './device.js'
export { type EventGap, type EventsOptions, type PastEventsOptions } from './events.js'
export { Files, type FileEntry } from './files.js'
export { Handoff } from './handoff.js'
export { Changes, Observation, type Element, type Query } from './observation.js'
export { Pages, type Page } from './pages.js'
export { Recording } from './recording.js'
export { Screenshot } from './screenshot.js'
export { type ShellOptions } from './shell.js'
export { Permissions, Reports, type CrashOptions, type LogOptions } from './reports.js'
export { Steps, type StepExportForm, type StepsOptions } from './steps.js'
export { Webhooks, type NewWebhook, type WebhookChange } from './webhooks.js'
export { Setup, type ReceivedKey, type SetupOptions } from './setup.js'
export { type Installable, type Installed, type InstallOptions } from './install.js'
export { type AppFile, type UploadOptions, type UploadProgress } from './upload.js'
export { type CallOptions, type Retry } from './transport.js'
export { type RequestOptions } from './connection.js'
export {
  ActionError,
  AmbiguousTargetError,
  HandoffError,
  NoFocusedFieldError,
  OutcomeUnknownError,
  PhoneUnavailableError,
  StaleSnapshotError,
  TargetError,
  TargetNotFoundError,
  WaitTimeoutError,
} from './action-errors.js'
export {
  ApiError,
  AuthenticationError,
  BillingError,
  ConflictError,
  ConnectionError,
  InvalidRequestError,
  NotFoundError,
  PermissionError,
  PhonerackError,
  ProviderError,
  RateLimitError,
} from './errors.js'
export {
  back,
  clear,
  closeApp,
  doubleTap,
  drag,
  hideKeyboard,
  home,
  key,
  longPress,
  openApp,
  openUrl,
  pinch,
  recents,
  scroll,
  scrollTo,
  shell,
  swipe,
  tap,
  type,
  wait,
  waitFor,
  waitIdle,
  type Action,
  type Direction,
  type Key,
  type SearchTarget,
  type Target,
  type WaitTarget,
} from './actions.js'
export type {
  Account,
  ActionResult,
  Crash,
  Delivery,
  Event as PhonerackEvent,
  Handoff as HandoffFields,
  LogLine,
  Notification as PhoneNotification,
  Observation as ObservationFields,
  Phone as PhoneFields,
  Recording as RecordingFields,
  Session,
  Step,
  Upload,
  Webhook,
  WebhookWithSecret,
} from './generated/types.gen.js'
