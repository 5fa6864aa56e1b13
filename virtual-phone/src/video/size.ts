/** The width and height in pixels of a picture or a video. */
export interface Size {
  width: number
  height: number
}

export const sameSize = (a: Size, b: Size): boolean => a.width === b.width && a.height === b.height
