/** US dollars of the API, with six places, for people: at least two places, and no further zeros. */
export const dollars = (amount: string): string => `$${amount.replace(/(\.\d\d\d*?)0+$/, '$1')}`
