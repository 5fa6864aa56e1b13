import { createCanvas } from '@napi-rs/canvas'
import { describe, expect, it } from 'vitest'
import { APP_TEXTS } from './app-texts.js'
import { CHINESE_TEXTS } from './chinese-texts.js'
import { sayIn } from './locale.js'
import { textFont } from '../toolkit/fonts.js'
import { SYSTEM_TEXTS } from './system-texts.js'

const ENGLISH = [...Object.keys(SYSTEM_TEXTS), ...Object.keys(APP_TEXTS)]
const names = (text: string): string[] => [...text.matchAll(/\{\w+\}/g)].map(([name]) => name).sort()

describe.each(['de-DE', 'ar-EG', 'ja-JP', 'zh-CN', 'zh-Hans-SG'])('the texts in %s', (locale) => {
  it('translate each English text, with the same placeholders', () => {
    for (const english of ENGLISH) {
      const text = sayIn(locale, english, {})
      expect(names(text), english).toEqual(names(english))
      expect(text).not.toBe('')
    }
    expect(sayIn(locale, 'Settings', {})).not.toBe('Settings')
  })
})

it('has no Chinese text without an English one, and uses no simplified text for traditional locales', () => {
  expect(Object.keys(CHINESE_TEXTS).sort()).toEqual([...new Set(ENGLISH)].sort())
  for (const locale of ['zh-TW', 'zh-Hant-HK', 'zh_MO', 'fr-FR'])
    expect(sayIn(locale, 'Settings', {})).toBe('Settings')
  expect(sayIn('zh-CN', '{n} products', { n: 1200 })).toBe('1,200 件商品')
})

it('measures Chinese and Japanese glyphs with equal width', () => {
  const ctx = createCanvas(1, 1).getContext('2d')
  const width = (text: string, chinese: boolean): number => {
    ctx.font = textFont(42, 400, chinese)
    return ctx.measureText(text).width
  }
  for (const text of Object.values(CHINESE_TEXTS)) {
    const difference = Math.abs(width(text, true) - width(text, false))
    expect(difference / width(text, false), text).toBeLessThan(0.05)
  }
})
