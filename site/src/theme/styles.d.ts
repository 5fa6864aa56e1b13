/** Styles, which Vite adds to the page. */
declare module '*.css'
