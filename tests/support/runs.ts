/** How often a property runs: so often in `npm test`, and as often as there is time for in `npm run test:long`. */
export function runs(usual: number): number {
  return process.env.XDSCOPE_LONG === '1' ? usual * 1_000 : usual;
}
