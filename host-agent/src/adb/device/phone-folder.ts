/** The agent's only folder on a phone. */
export const phoneFolder = '/data/local/tmp/phonerack'
