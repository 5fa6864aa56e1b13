/** Examples name the address of `./scripts/up`. On another installation they show its address, so that they can be copied. */

const documented = 'http://127.0.0.1:7700'

export function showOwnAddress(): void {
  if (location.origin === documented) return
  for (const code of document.querySelectorAll('.vp-doc code')) {
    const texts = document.createTreeWalker(code, NodeFilter.SHOW_TEXT)
    for (let text = texts.nextNode(); text; text = texts.nextNode())
      if (text.nodeValue?.includes(documented) === true)
        text.nodeValue = text.nodeValue.replaceAll(documented, location.origin)
  }
}
