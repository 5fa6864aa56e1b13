/** Finds the pictures in a request to a model. Pure. */

const start = /^(?:data:image\/jpeg;base64,)?\/9j\//

/** How each picture is sent: as an image that the model sees, or as text. */
export function picturesIn(request: string): ('image' | 'letters')[] {
  const walk = (value: unknown): ('image' | 'letters')[] => {
    if (typeof value === 'string') {
      if (start.test(value)) return ['image']
      return /(?:[A-Za-z0-9+/]{200})/.test(value) ? ['letters'] : []
    }
    return typeof value === 'object' && value !== null ? Object.values(value).flatMap(walk) : []
  }
  return walk(JSON.parse(request))
}
