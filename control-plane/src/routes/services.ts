import { type KeyService } from '../keys/types.js'
import { type PhoneService } from '../phones/types.js'
import {
  type DeviceService,
  type SettingsService,
  type FileService,
  type PowerService,
  type PackageService,
  type ReportService,
  type ThumbnailService,
} from '../device-control/types.js'
import { type SetupService } from '../setup/types.js'
import { type ActivityService } from '../activity/types.js'
import { type UploadService } from '../uploads/types.js'
import { type InstallService } from '../installs/types.js'
import { type RecordingService } from '../recordings/types.js'
import { type LibraryService } from '../library/types.js'
import { type CheckoutService } from '../payments/types.js'
import { type LiveService } from '../live/types.js'
import { type HandoffService } from '../handoffs/types.js'
import { type EventService } from '../events/types.js'
import { type StepService } from '../steps/types.js'
import { type WebhookService } from '../webhooks/types.js'

export interface Services {
  keys: KeyService
  phones: PhoneService
  devices: DeviceService
  settings: SettingsService
  thumbnails: ThumbnailService
  files: FileService
  power: PowerService
  setup: SetupService
  activity: ActivityService
  uploads: UploadService
  installs: InstallService
  recordings: RecordingService
  library: LibraryService
  packages: PackageService
  reports: ReportService
  checkout: CheckoutService
  live: LiveService
  handoffs: HandoffService
  events: EventService
  webhooks: WebhookService
  steps: StepService
}
