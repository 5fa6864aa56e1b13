/** Assembles steps: the recorder, the services that record or mask typed text, and the retention. */
import { type Core } from '../base/core/core.js'
import { Ticker } from '../base/core/ticker.js'
import { createDeviceControlService } from '../phone-io/device-control/service.js'
import { createSettingsService } from '../phone-io/device-control/settings.js'
import { createThumbnailService } from '../phone-io/device-control/thumbnails.js'
import {
  type DeviceControlService,
  type SettingsService,
  type ThumbnailService,
} from '../phone-io/device-control/types.js'
import { type HostClients } from '../links/host-calls/clients.js'
import { type FileStore } from '../files/storage/file-store.js'
import { expireSteps } from '../phone-io/steps/expiry.js'
import { createLiveSteps, type LiveSteps } from '../phone-io/steps/live-steps.js'
import { createPictures } from '../phone-io/steps/pictures.js'
import { createStepRecorder } from '../phone-io/steps/recorder.js'
import { createStepService } from '../phone-io/steps/service.js'
import { type StepService } from '../phone-io/steps/types.js'

/** Milliseconds between two rounds of the retention. */
const expireEveryMs = 60_000
/** Every tenth round counts the bytes of all projects. The other rounds count only projects with new steps. */
const roundsPerCount = 10

interface AppSteps {
  services: {
    deviceControl: DeviceControlService
    settings: SettingsService
    thumbnails: ThumbnailService
    steps: StepService
  }
  /** Touches of people in live views. */
  live: LiveSteps
  ticker: Ticker
  /** Writes the steps that wait in memory. */
  close(): Promise<void>
}

export function openSteps(core: Core, hosts: HostClients, store: FileStore): AppSteps {
  const recorder = createStepRecorder(core, createPictures(core, store))
  const live = createLiveSteps(core, recorder)
  let rounds = 0
  const expire = (): Promise<void> => {
    rounds += 1
    return expireSteps(core, rounds % roundsPerCount === 1 ? 'all' : 'active')
  }
  return {
    services: {
      deviceControl: createDeviceControlService(core, hosts, recorder),
      settings: createSettingsService(core, hosts, recorder),
      thumbnails: createThumbnailService(core, hosts, (phoneId) => recorder.hasTyped(phoneId)),
      steps: createStepService(core, store, (phoneId) => recorder.settled(phoneId)),
    },
    live,
    ticker: new Ticker('retention of steps', expireEveryMs * core.pace, core.log, expire),
    async close() {
      await live.close()
      await recorder.close()
    },
  }
}
