/** What of the log is wanted, in the words of GET history; what is empty is not said. */
export interface HistoryParams {
  readonly client: string;
  readonly stream: string;
  readonly type: readonly string[];
  readonly kind: readonly string[];
  readonly resource: string;
  readonly version: string;
  readonly error: string;
  readonly from: string;
  readonly to: string;
}
