import { type KeyService } from '../../rental/keys/types.js'
import { type PhoneService } from '../../rental/phones/types.js'
import {
  type DeviceControlService,
  type SettingsService,
  type FileService,
  type PowerService,
  type PackageService,
  type ReportService,
  type ThumbnailService,
} from '../../phone-io/device-control/types.js'
import { type SetupService } from '../../people/setup/types.js'
import { type ActivityService } from '../../rental/activity/types.js'
import { type UploadService } from '../../files/uploads/types.js'
import { type InstallService } from '../../phone-io/installs/types.js'
import { type RecordingService } from '../../phone-io/recordings/types.js'
import { type LibraryService } from '../../files/library/types.js'
import { type CheckoutService } from '../../rental/payments/types.js'
import { type LiveService } from '../../phone-io/live/types.js'
import { type HandoffService } from '../../phone-io/handoffs/types.js'
import { type EventService } from '../../events/events/types.js'
import { type StepService } from '../../phone-io/steps/types.js'
import { type WebhookService } from '../../events/webhooks/types.js'

export interface Services {
  keys: KeyService
  phones: PhoneService
  deviceControl: DeviceControlService
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
