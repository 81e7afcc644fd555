import type { ClientDetail } from '@/lib/api/schema';

/** The metadata of the node and its client features, on demand. */
export function NodeDetails({ node }: { readonly node: ClientDetail['node'] }) {
  const metadata = Object.entries(node.metadata);
  if (metadata.length === 0 && node.clientFeatures.length === 0) return null;
  return (
    <details className="open:basis-full">
      <summary className="w-fit cursor-pointer rounded text-muted hover:text-text">
        Node metadata ({metadata.length}), client features ({node.clientFeatures.length})
      </summary>
      <div className="mt-1 flex max-h-60 flex-col gap-2 overflow-auto rounded-md border border-line bg-raised p-3">
        {node.clientFeatures.length > 0 && (
          <ul aria-label="Client features" className="flex flex-wrap gap-1.5">
            {node.clientFeatures.map((feature) => (
              <li key={feature} className="rounded border border-line px-1.5 font-mono break-all">
                {feature}
              </li>
            ))}
          </ul>
        )}
        <dl className="grid grid-cols-[minmax(0,max-content)_minmax(0,1fr)] gap-x-4 gap-y-1 font-mono">
          {metadata.map(([key, value]) => (
            <div key={key} className="contents">
              <dt className="max-w-80 break-all text-muted">{key}</dt>
              <dd className="break-all whitespace-pre-wrap">
                {typeof value === 'string' ? value : JSON.stringify(value, null, 1)}
              </dd>
            </div>
          ))}
        </dl>
      </div>
    </details>
  );
}
