/** From when to when a page looks; empty: without that bound. ISO 8601. */
export interface Extent {
  readonly from: string;
  readonly to: string;
}
