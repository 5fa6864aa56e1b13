/** The failed check of a phone that is in use under another serial. Used by `gate.ts`. */
import { sameAs } from './supervision/same-phone.js'
import type { WipeCheck } from '../custody/wiping/checks.js'

export const twinCheck = (twin: string): WipeCheck => ({
  name: 'same_phone',
  passed: false,
  evidence: sameAs(twin),
})
