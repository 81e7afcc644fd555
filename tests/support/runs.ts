/** The number of examples of a property: `usual` in `npm test`, as many as time permits in `npm run test:long`. */
export function runs(usual: number): number {
  return process.env.XDSCOPE_LONG === '1' ? usual * 1_000 : usual;
}
