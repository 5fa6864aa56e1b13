/** US dollars with at least two decimal places, and no trailing zeros beyond them. */
export const usdText = (usd: string): string =>
  `$${usd.replace(/(\.\d\d)(\d*?)0*$/, '$1$2').replace(/\B(?<!\.\d*)(?=(\d{3})+(?!\d))/g, ',')}`.replace(
    '$-',
    '-$',
  )

/** Millionths of a dollar. @param usd with six decimal places, as the server sends it */
export const microsOf = (usd: string): number => Number(usd.replace('.', ''))
