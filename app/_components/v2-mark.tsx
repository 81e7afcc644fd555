/** Marks resources and clients that use the v2 API. */
export function V2Mark({ text = 'Received in the v2 API (envoy.api.v2)' }: { readonly text?: string }) {
  return (
    <span className="shrink-0 text-[0.7857em] text-timeout" title={text}>
      v2
    </span>
  );
}
