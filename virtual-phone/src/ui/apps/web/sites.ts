/** The browser's bundled pages, under the reserved name `.test`. */
export const HOME_PAGE = 'about:home'

/** A block of a page. A link's target can be relative to its site. */
export type Block =
  | { kind: 'heading'; text: string }
  | { kind: 'text'; text: string }
  | { kind: 'link'; text: string; to: string }
  | { kind: 'item'; text: string }
  | { kind: 'field'; name: string; hint: string }
  | { kind: 'submit'; text: string; to: string }
  /** Shows the text from a field of the previous page. */
  | { kind: 'answer'; before: string; name: string }

interface Site {
  title: string
  blocks: readonly Block[]
}

const heading = (text: string): Block => ({ kind: 'heading', text })
const text = (value: string): Block => ({ kind: 'text', text: value })
const link = (value: string, to: string): Block => ({ kind: 'link', text: value, to })
const item = (value: string): Block => ({ kind: 'item', text: value })

const TEA =
  'Tea is a drink made by pouring hot water over the leaves of Camellia sinensis. After water it is the most widely drunk of all. Green tea is heated soon after picking, so that its leaves stay green; black tea is left to oxidise until they turn dark. Oolong lies between the two, and white tea is made of young buds that are only dried.'
const BREWING =
  'Water for green tea should be between 70 and 80 degrees, for black tea just off the boil. Two grams of leaves to a cup are enough. Green tea draws for two minutes, black tea for three to five; what draws longer grows bitter, since the tannins leave the leaf last.'
const FERRY =
  'From Monday the ferry to the islands runs every forty minutes. The harbour office says that the new boat, the Meridian, carries 180 passengers and needs no diesel: its batteries are charged during the eleven minutes that it lies at the pier. Tickets cost what they did before.'
const BRIDGE =
  'The old bridge at the mill stays closed until spring. Engineers found that two of its nine oak piles have rotted at the water line, and the wood that fits must be dried for a year before it can be used. Cyclists take the way past the locks.'

const SITES: Readonly<Record<string, Site>> = {
  'news.test/': {
    title: 'The Daily Rack',
    blocks: [
      heading('The Daily Rack'),
      link('New ferry runs every forty minutes', '/ferry'),
      text(`${FERRY.slice(0, 120)}…`),
      link('Old bridge stays closed until spring', '/bridge'),
      text(`${BRIDGE.slice(0, 120)}…`),
      link('Write to the editors', 'https://form.test/'),
    ],
  },
  'news.test/ferry': {
    title: 'New ferry runs every forty minutes',
    blocks: [heading('New ferry runs every forty minutes'), text(FERRY), link('Front page', '/')],
  },
  'news.test/bridge': {
    title: 'Old bridge stays closed until spring',
    blocks: [heading('Old bridge stays closed until spring'), text(BRIDGE), link('Front page', '/')],
  },
  'wiki.test/tea': {
    title: 'Tea',
    blocks: [
      heading('Tea'),
      text(TEA),
      heading('Brewing'),
      text(BREWING),
      heading('Sorts'),
      ...['Green tea', 'Black tea', 'Oolong', 'White tea', "Pu'er"].map(item),
      heading('In other languages'),
      ...['Tee', 'Thé', 'شاي', 'お茶', '茶', 'Чай'].map(item),
    ],
  },
  'form.test/': {
    title: 'Write to us',
    blocks: [
      heading('Write to us'),
      { kind: 'field', name: 'name', hint: 'Your name' },
      { kind: 'field', name: 'message', hint: 'Your message' },
      { kind: 'submit', text: 'Send', to: '/thanks' },
    ],
  },
  'form.test/thanks': {
    title: 'Thank you',
    blocks: [
      heading('Thank you'),
      { kind: 'answer', before: 'We will write to', name: 'name' },
      { kind: 'answer', before: 'You wrote:', name: 'message' },
      link('Front page', 'https://news.test/'),
    ],
  },
}

const NEW_TAB: Site = {
  title: 'New tab',
  blocks: [
    heading('New tab'),
    text('This phone has no network. These pages are on it:'),
    link('The Daily Rack', 'https://news.test/'),
    link('Tea', 'https://wiki.test/tea'),
    link('Write to us', 'https://form.test/'),
  ],
}

/** Undefined for a page that is not bundled. */
export function siteOf(url: string): Site | undefined {
  if (url === HOME_PAGE) return NEW_TAB
  if (!URL.canParse(url)) return undefined
  const { protocol, host, pathname } = new URL(url)
  return /^https?:$/.test(protocol) ? SITES[host + pathname] : undefined
}
