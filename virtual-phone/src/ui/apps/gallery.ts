/**
 * Gallery: photos that zoom with two fingers, pan with one finger and show their scale as text, and a film.
 */
import { chunks } from '../toolkit/chunks.js'
import { FILM_NAME, PHOTO_NAMES } from '../toolkit/pictures.js'
import { column, frame, iconButton, label, row, scrollView, toolbar } from '../toolkit/widgets.js'
import { view, type View } from '../toolkit/view.js'
import { type App, type Ui } from './app.js'

const MAIN = 'com.phonerack.gallery.MainActivity'
const PHOTO = 'com.phonerack.gallery.PhotoActivity'
const FILM = 'com.phonerack.gallery.VideoActivity'
const FILM_MS = 20_000
const SCALE_MIN = 0.5
const SCALE_MAX = 8

const TITLES: Readonly<Record<string, string>> = {
  dawn: 'Dawn',
  lake: 'Lake',
  desert: 'Desert',
  night: 'Night',
  clouds: 'Clouds',
}

function main(ui: Ui): View {
  const names = [...PHOTO_NAMES, FILM_NAME]
  const columns = ui.landscape ? 4 : 2
  return column({ height: 'fill' }, [
    toolbar(ui.theme, ui.id('toolbar'), 'Gallery', null),
    scrollView(
      ui.scroll('grid'),
      { id: ui.id('grid'), height: 'wrap', weight: 1, padding: { left: 12, right: 12 } },
      chunks(names, columns).map((line) =>
        row({ width: 'fill' }, [
          ...line.map((name) =>
            column({ weight: 1, padding: 6, onClick: () => open(ui, name) }, [
              view('android.widget.ImageView', {
                description: TITLES[name] ?? name,
                width: 'fill',
                height: 150,
                mark: { kind: 'picture', picture: name, scale: 1, panX: 0, panY: 0 },
              }),
              label(ui.theme, TITLES[name] ?? name, {
                id: ui.id('title'),
                margin: { top: 6, left: 4 },
                look: { size: 14 },
              }),
            ]),
          ),
          ...Array.from({ length: columns - line.length }, () => frame({ weight: 1, height: 1 })),
        ]),
      ),
    ),
  ])
}

function open(ui: Ui, name: string): void {
  if (name === FILM_NAME) ui.open(FILM)
  else ui.open(PHOTO, { picture: name })
}

/** Formats milliseconds as `0:07`. */
function clockOf(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

/** The film plays from the tap on, and stops at its end. */
function film(ui: Ui): View {
  const t = ui.theme
  const play = ui.local('play', (): { startedMs: number | null; seenMs: number } => ({
    startedMs: null,
    seenMs: 0,
  }))
  const now = ui.now.getTime()
  const at = Math.min(FILM_MS, play.seenMs + (play.startedMs === null ? 0 : now - play.startedMs))
  const playing = play.startedMs !== null && at < FILM_MS
  const press = (): void => {
    play.seenMs = at < FILM_MS ? at : 0
    play.startedMs = playing ? null : now
  }
  return column({ height: 'fill' }, [
    toolbar(t, ui.id('toolbar'), 'Clouds', () => ui.finish()),
    view('android.view.SurfaceView', {
      id: ui.id('video'),
      description: 'Clouds',
      width: 'fill',
      weight: 1,
      moving: playing,
      mark: { kind: 'picture', picture: FILM_NAME, scale: 1, panX: 0, panY: 0, at: at / 1000 },
      onClick: press,
    }),
    row({ width: 'fill', padding: { left: 8, right: 20, top: 8, bottom: 8 } }, [
      iconButton(t, playing ? 'pause' : 'play_arrow', playing ? 'Pause' : 'Play', press, {
        id: ui.id('play'),
      }),
      view('android.widget.SeekBar', {
        id: ui.id('seek'),
        weight: 1,
        height: 40,
        focusable: true,
        mark: { kind: 'slider', value: at / FILM_MS, color: t.primary, track: t.outline },
        onSlide: (value) => {
          play.seenMs = value * FILM_MS
          if (play.startedMs !== null) play.startedMs = now
        },
      }),
      label(t, `${clockOf(at)} / ${clockOf(FILM_MS)}`, {
        id: ui.id('time'),
        margin: { left: 12 },
        look: { size: 14 },
      }),
    ]),
  ])
}

function photo(ui: Ui): View {
  const name = ui.intent.extras['picture'] ?? 'lake'
  const at = ui.local('view', () => ({ scale: 1, panX: 0, panY: 0 }))
  const zoom = (factor: number): void => {
    at.scale = Math.max(SCALE_MIN, Math.min(SCALE_MAX, at.scale * factor))
    if (at.scale <= 1) at.panX = at.panY = 0
  }
  return column({ height: 'fill' }, [
    toolbar(ui.theme, ui.id('toolbar'), TITLES[name] ?? name, () => ui.finish(), [
      iconButton(ui.theme, 'remove', 'Zoom out', () => zoom(1 / 1.5), { id: ui.id('zoom_out') }),
      iconButton(ui.theme, 'add', 'Zoom in', () => zoom(1.5), { id: ui.id('zoom_in') }),
    ]),
    view('android.widget.ImageView', {
      id: ui.id('picture'),
      description: TITLES[name] ?? name,
      width: 'fill',
      weight: 1,
      mark: { kind: 'picture', picture: name, ...at },
      clickable: true,
      onDoubleTap: () => {
        zoom(at.scale > 1 ? 1 / at.scale : 2)
      },
      pinch: {
        onPinch: (factor) => {
          zoom(factor)
        },
        onPan: (dx, dy) => {
          if (at.scale <= 1) return
          at.panX += dx
          at.panY += dy
        },
      },
    }),
    label(ui.theme, `Scale ${at.scale.toFixed(2)}×`, { id: ui.id('scale'), margin: 16, look: { size: 16 } }),
  ])
}

export const gallery: App = {
  package: 'com.phonerack.gallery',
  label: 'Gallery',
  icon: { glyph: 'photo_library', color: '#ffffff', background: '#0f9d58' },
  versionName: '1.2',
  versionCode: 12,
  uid: 10_103,
  launcherActivity: MAIN,
  activities: { [MAIN]: main, [PHOTO]: photo, [FILM]: film },
  actions: {},
  initialData: () => ({}),
}
