/** Behind a resource, or a client, that speaks the API of before v3. */
export function V2Mark({ text = 'Received in the v2 API (envoy.api.v2)' }: { readonly text?: string }) {
  return (
    <span className="shrink-0 text-[0.7857em] text-timeout" title={text}>
      v2
    </span>
  );
}
