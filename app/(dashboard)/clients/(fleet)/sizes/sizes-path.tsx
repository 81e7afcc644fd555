import Link from 'next/link';
import { formatResourceType } from '@/lib/xds/resource-type';
import { NameText } from '../../../../_components/name-text';
import { type SizesPlace, sizesHref } from './sizes-href';

interface SizesPathProps {
  readonly place: SizesPlace;
  /** Node id of the client; undefined: not known. */
  readonly label: string | undefined;
}

/** Where one is: client, type, resource, each a step back. */
export function SizesPath({ place, label }: SizesPathProps) {
  const { client, type, name } = place;
  // Of all that is in the URL the order stays.
  const nowhere: SizesPlace = { ...place, client: '', type: '', name: '', filter: '' };
  if (client === '') return null;
  const steps = [
    { href: sizesHref(nowhere), text: 'all clients' },
    { href: sizesHref({ ...nowhere, client }), text: label ?? client },
    ...(type === ''
      ? []
      : [{ href: sizesHref({ ...nowhere, client, type }), text: formatResourceType(type) }]),
    ...(name === '' ? [] : [{ href: sizesHref({ ...nowhere, client, type, name }), text: name }]),
  ];
  return (
    <nav aria-label="What is measured">
      <ol className="flex min-w-0 flex-wrap items-center gap-x-2">
        {steps.map(({ href, text }, index) => (
          <li key={href} className="flex min-w-0 items-center gap-2">
            {index > 0 && (
              <span aria-hidden="true" className="text-muted">
                ›
              </span>
            )}
            {index === steps.length - 1 ? (
              <span aria-current="page" className="min-w-0 font-medium">
                <NameText name={text} maxChars={60} />
              </span>
            ) : (
              <Link href={href} className="min-w-0 text-accent underline underline-offset-2">
                {index === 0 ? text : <NameText name={text} maxChars={40} />}
              </Link>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}
