declare module 'mvdan-sh' {
  const library: unknown
  export default library
}
