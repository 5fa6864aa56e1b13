/** The shop's products. Prices in cents of a euro. */
export interface Product {
  id: string
  name: string
  category: string
  cents: number
  stock: number
  about: string
}

const row = (name: string, category: string, cents: number, stock: number, about: string): Product => ({
  id: name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-'),
  name,
  category,
  cents,
  stock,
  about,
})

const CATALOG: readonly Product[] = [
  row('Enamel Mug', 'Kitchen', 1290, 24, 'White enamel with a blue rim. Holds 350 ml, fit for a camp fire.'),
  row('Tea Kettle', 'Kitchen', 3990, 6, 'Whistles when the water boils. Works on induction.'),
  row('Bread Knife', 'Kitchen', 2450, 11, 'Serrated blade of 22 cm, handle of walnut.'),
  row('Cutting Board', 'Kitchen', 1890, 15, 'Oiled oak, with a groove for juice.'),
  row('Espresso Cups', 'Kitchen', 2200, 0, 'Set of four, porcelain.'),
  row('Salt Mill', 'Kitchen', 1750, 30, 'Ceramic grinder, coarse to fine.'),
  row('Desk Lamp', 'Office', 4900, 8, 'Warm light, three levels, folds flat.'),
  row('Notebook A5', 'Office', 890, 120, 'Dotted paper, 192 pages, lies open.'),
  row('Fountain Pen', 'Office', 2990, 14, 'Steel nib, takes standard cartridges.'),
  row('Cable Box', 'Office', 1990, 9, 'Hides a power strip and its cables.'),
  row('Monitor Stand', 'Office', 3490, 5, 'Bamboo, with a drawer.'),
  row('Wireless Mouse', 'Office', 2590, 22, 'Silent buttons, one AA battery for a year.'),
  row('Rain Jacket', 'Outdoor', 7990, 7, 'Taped seams, packs into its own pocket.'),
  row('Trail Backpack', 'Outdoor', 6490, 4, '24 litres, with a rain cover.'),
  row('Head Torch', 'Outdoor', 2750, 18, '350 lumens, red light, USB-C.'),
  row('Water Bottle', 'Outdoor', 1590, 40, 'Steel, keeps cold for a day and hot for half of one.'),
  row('Picnic Blanket', 'Outdoor', 2290, 13, 'Waterproof from below, soft from above.'),
  row('Camping Chair', 'Outdoor', 3290, 3, 'Folds to the size of a bottle, holds 110 kg.'),
]

export const productOf = (id: string): Product | undefined => CATALOG.find((p) => p.id === id)

export type SortOrder = 'name' | 'price'

/** Products whose name, category or text contains every word, in order. */
export function searchCatalog(query: string, order: SortOrder): Product[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  return CATALOG.filter((p) => {
    const text = `${p.name} ${p.category} ${p.about}`.toLowerCase()
    return words.every((word) => text.includes(word))
  }).sort((a, b) => (order === 'price' ? a.cents - b.cents : a.name.localeCompare(b.name)))
}
