/** All checks of an acceptance, in their order. The last check wipes the phone. */
import type { Check } from '../check.js'
import { clipboard, condition, files, locale, location, timezone } from './device.js'
import { capabilities, connection, enrolment } from './enrolment.js'
import { inputCommands, twoFingers } from './gestures.js'
import { guard } from './guarding.js'
import { agentRestart, identity } from './identity.js'
import { key, scroll, tap } from './input.js'
import { install, installInterrupted } from './installing.js'
import { lockCleared, lockClosed, lockReported } from './locking.js'
import { lostInput, lostServer } from './losing.js'
import { clock, start, tree } from './reading.js'
import { hangRecovery, park, reboot, wipe } from './recovery.js'
import { dump, spareVideo, uiRecovery } from './servers.js'
import { text } from './text.js'
import { traces } from './traces.js'
import { insert, keyboard, viewerText } from './typing.js'
import { recording, rotation, video } from './video.js'

export const allChecks: readonly Check[] = [
  ...[connection, clock, enrolment, capabilities, identity, traces],
  ...[start, tree, dump, uiRecovery, tap, key, scroll, twoFingers, inputCommands, text, keyboard, guard],
  ...[lostInput, lostServer, video, rotation, recording],
  ...[clipboard, location, locale, timezone, files, condition, insert, viewerText],
  ...[lockClosed, lockReported, lockCleared, installInterrupted, install, spareVideo],
  ...[park, agentRestart, reboot, hangRecovery, wipe],
]
