/** Draws a frame on the page's canvas and resizes the canvas to the frame. Used by both players. */
export function paint(
  canvas: HTMLCanvasElement,
  picture: HTMLVideoElement | VideoFrame,
  { width, height }: { width: number; height: number },
): void {
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width
    canvas.height = height
  }
  canvas.getContext('2d', { alpha: false })?.drawImage(picture, 0, 0)
}
