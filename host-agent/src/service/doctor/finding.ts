/** Constructors of findings. Texts of phones and other machines lose their control characters here. */
import { plain } from '@phonerack/shared'
import type { Finding } from './readings.js'

export const ok = (id: string, about: string): Finding => ({
  id,
  level: 'ok',
  about: plain(about),
  why: '',
  fix: '',
})

const problem =
  (level: Finding['level']) =>
  (id: string, about: string, why: string, fix: string): Finding => ({
    id,
    level,
    about: plain(about),
    why: plain(why),
    fix: plain(fix),
  })

export const error = problem('error')
export const warning = problem('warning')
export const unknown = problem('unknown')
