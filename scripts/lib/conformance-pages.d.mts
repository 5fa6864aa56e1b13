import type { Row } from './conformance.mjs'

export interface Page {
  name: string
  title: string
  text: string
  rows: Row[]
}

export function pagesOf(): Page[]
export function indexOf(pages: Page[]): string
export function isCurrent(pages: Page[]): boolean
export function isThere(row: Pick<Row, 'file' | 'test'>): boolean
export function renamed(title: string, before: string[], after: string[]): string | null
