/** The page shows other addresses as text, not as links. */
export const isOfStripe = (url: string): boolean =>
  URL.canParse(url) && new URL(url).protocol === 'https:' && new URL(url).host.endsWith('.stripe.com')
