/** True in `npm run test:long`. */
export const isLong = process.env.XDSCOPE_LONG === '1';

/** The number of examples of a property: `usual` in `npm test`, as many as time permits in `npm run test:long`. */
export function runs(usual: number): number {
  return isLong ? usual * 1_000 : usual;
}
