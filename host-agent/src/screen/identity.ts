/** Compares elements by their content, before a target is touched. Pure. */
import type { ScreenElement } from './elements.js'
import { cutText } from './observation.js'

export interface ElementIdentity {
  className: string
  id: string | null
  text: string | null
  desc: string | null
}

export const identityOf = (element: ScreenElement): ElementIdentity => ({
  className: element.className,
  id: element.id,
  text: element.text === null ? null : cutText(element.text),
  desc: element.desc === null ? null : cutText(element.desc),
})

export const isSame = (a: ElementIdentity, b: ElementIdentity): boolean =>
  a.className === b.className && a.id === b.id && a.text === b.text && a.desc === b.desc
