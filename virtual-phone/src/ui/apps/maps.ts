/**
 * Maps: shows the phone's location after the permission is granted: coordinates, and the nearest of some
 * cities.
 */
import { button, column, frame, icon, label, toolbar } from '../toolkit/widgets.js'
import { view, type View } from '../toolkit/view.js'
import { type GeoPoint } from '../../android/world.js'
import { type App, type Ui } from './app.js'
import { askFor, permissionOf } from './permission.js'

const MAIN = 'com.phonerack.maps.MapActivity'
const EARTH_KM = 6371

const CITIES: readonly (readonly [string, number, number])[] = [
  ['Berlin', 52.52, 13.405],
  ['Paris', 48.857, 2.352],
  ['London', 51.507, -0.128],
  ['Madrid', 40.417, -3.704],
  ['Rome', 41.903, 12.496],
  ['Cairo', 30.044, 31.236],
  ['Nairobi', -1.292, 36.822],
  ['Lagos', 6.524, 3.379],
  ['Dubai', 25.205, 55.271],
  ['Mumbai', 19.076, 72.878],
  ['Bangkok', 13.756, 100.502],
  ['Singapore', 1.352, 103.82],
  ['Beijing', 39.904, 116.407],
  ['Tokyo', 35.676, 139.65],
  ['Sydney', -33.869, 151.209],
  ['São Paulo', -23.55, -46.633],
  ['Buenos Aires', -34.604, -58.382],
  ['Mexico City', 19.433, -99.133],
  ['Los Angeles', 34.052, -118.244],
  ['Chicago', 41.878, -87.63],
  ['New York', 40.713, -74.006],
]

/** Returns the great-circle distance. */
function distanceKm(a: GeoPoint, latitude: number, longitude: number): number {
  const rad = Math.PI / 180
  const dLat = (latitude - a.latitude) * rad
  const dLon = (longitude - a.longitude) * rad
  const h =
    Math.sin(dLat / 2) ** 2 + Math.cos(a.latitude * rad) * Math.cos(latitude * rad) * Math.sin(dLon / 2) ** 2
  return 2 * EARTH_KM * Math.asin(Math.min(1, Math.sqrt(h)))
}

function nearestCity(point: GeoPoint): { name: string; km: number } {
  let best = { name: '', km: Infinity }
  for (const [name, latitude, longitude] of CITIES) {
    const km = distanceKm(point, latitude, longitude)
    if (km < best.km) best = { name, km }
  }
  return best
}

function placeTexts(ui: Ui): { title: string; detail: string } {
  const answer = permissionOf(ui, 'location')
  if (answer === 'denied') return { title: 'Maps may not use the location', detail: '' }
  if (answer === null) return { title: 'Where am I?', detail: '' }
  if (!ui.location) return { title: 'Location is off', detail: '' }
  const { latitude, longitude } = ui.location
  const { name, km } = nearestCity(ui.location)
  const away = km < 15 ? `In ${name}` : `${Math.round(km)} km from ${name}`
  return { title: away, detail: `${latitude.toFixed(5)}, ${longitude.toFixed(5)}` }
}

function main(ui: Ui): View {
  const t = ui.theme
  const { title, detail } = placeTexts(ui)
  const known = detail !== ''
  // One tile of the picture covers ten degrees, so the map moves with the location.
  const shift = (degrees: number): number => Math.round(((((degrees % 10) + 10) % 10) - 5) * 20)
  const at = ui.location
  return column({ height: 'fill' }, [
    toolbar(t, ui.id('toolbar'), 'Maps', null),
    frame({ width: 'fill', weight: 1 }, [
      view('android.view.View', {
        id: ui.id('map'),
        description: 'Map',
        width: 'fill',
        height: 'fill',
        mark: {
          kind: 'picture',
          picture: 'map',
          scale: 2,
          panX: known && at ? -shift(at.longitude) : 0,
          panY: known && at ? shift(at.latitude) : 0,
        },
      }),
      ...(known
        ? [icon('my_location', 40, '#1a73e8', { id: ui.id('marker'), place: { x: 'center', y: 'center' } })]
        : []),
    ]),
    column({ padding: 24, width: 'fill', box: { color: t.surface, radius: 24, topOnly: true } }, [
      label(t, title, { id: ui.id('place_name'), look: { size: 22 } }),
      ...(known
        ? [label(t, detail, { id: ui.id('coordinates'), margin: { top: 4 }, look: { color: t.secondary } })]
        : []),
      button(t, 'My location', () => askFor(ui, 'location'), {
        id: ui.id('my_location'),
        margin: { top: 16 },
        enabled: !known,
      }),
    ]),
  ])
}

export const maps: App = {
  package: 'com.phonerack.maps',
  label: 'Maps',
  icon: { glyph: 'map', color: '#ffffff', background: '#188038' },
  versionName: '1.1',
  versionCode: 11,
  uid: 10_109,
  launcherActivity: MAIN,
  activities: { [MAIN]: main },
  actions: { 'android.intent.action.SHOW_MAP': MAIN },
  permissions: ['location'],
  initialData: () => ({}),
}
