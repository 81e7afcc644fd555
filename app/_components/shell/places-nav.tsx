'use client';

import Link from 'next/link';
import { usePathname } from 'next/navigation';
import { useLayoutEffect, useRef, useState } from 'react';
import { openIssues } from '@/app/_ask/common-questions';
import { useQuestion } from '@/app/_ask/use-question';
import { formatCount, formatCounted } from '@/lib/format/count';
import { useIsHydrated } from '../../_hooks/use-is-hydrated';
import { useLiveStream } from '../../_stream/use-live-stream';
import { PopoverButton } from '../popover-button';
import { StatusMark } from '../status-mark';
import { useCarriedRange } from '../time-range/use-carried-range';

interface Place {
  readonly href: string;
  readonly label: string;
  /** The tooltip. */
  readonly description: string;
  /** Paths of other pages that belong to the place. */
  readonly alsoAt?: readonly string[];
}

const places: readonly Place[] = [
  {
    href: '/',
    label: 'Overview',
    description: 'What is broken, for which clients, since when and why.',
  },
  {
    href: '/clients',
    label: 'Clients',
    description: 'What each xDS client runs, by resource type; cohorts, sizes and certificates of the fleet.',
    alsoAt: ['/compare'],
  },
  {
    href: '/nacks',
    label: 'NACKs',
    description:
      'Rejected resources by cause, with the field that error_detail names (xDS transport protocol: ACK and NACK).',
  },
  {
    href: '/pushes',
    label: 'Pushes',
    description: 'Which clients ACKed, NACKed or have not answered what each control plane sent.',
  },
  {
    href: '/history',
    label: 'History',
    description: 'What was requested, sent and answered on each stream, in the order of the log.',
  },
  {
    href: '/load',
    label: 'Load',
    description: 'Requests and errors by client, cluster and locality, as load reports (LRS) state them.',
  },
  {
    href: '/explain',
    label: 'Explain',
    description: 'Where each client would send a request, in groups of clients that do the same.',
  },
  {
    href: '/check',
    label: 'Check',
    description:
      'What a config would do before it is pushed: a verdict for each client version of the fleet.',
  },
  {
    href: '/interop',
    label: 'Interop',
    description: 'What clients and management servers really support, by running the rules of the protocol.',
  },
  {
    href: '/sources',
    label: 'Settings',
    description: 'Sources, recorder, imports, lab and version of this xdscope.',
    alsoAt: ['/lab', '/about'],
  },
];

/** The places that fit, in one row. The others are below "More". */
export function PlacesNav() {
  const path = usePathname();
  useLiveStream('sources', 'issues');
  const { row, fitting, freePx } = useFitting();
  const more = places.slice(fitting);
  const current = more.find((place) => isAt(path, place));
  return (
    <nav aria-label="Places" className="-mx-1 flex px-1">
      {/* What does not fit wraps into a second line, which is cut off. */}
      <ul ref={row} className="flex h-10 min-w-0 flex-wrap gap-x-0.5 overflow-hidden md:h-12">
        {places.map((place, index) => (
          <li key={place.href} className={index < fitting ? undefined : 'invisible'}>
            <PlaceLink place={place} isCurrent={isAt(path, place)} />
          </li>
        ))}
      </ul>
      {more.length > 0 && (
        <div className="relative flex shrink-0" style={{ right: freePx }}>
          <PopoverButton
            label="More places"
            button={
              <>
                More{current === undefined ? '' : `: ${current.label}`}
                {more.some(({ href }) => href === '/sources') && <SourcesDown />}
              </>
            }
            className={`${look(current !== undefined)} border-x-0 bg-transparent`}
            popoverClassName="flex-col px-2 py-1 open:flex"
          >
            {(close) => (
              <ul>
                {more.map((place) => (
                  <li key={place.href}>
                    <PlaceLink place={place} isCurrent={place === current} onPress={close} />
                  </li>
                ))}
              </ul>
            )}
          </PopoverButton>
        </div>
      )}
    </nav>
  );
}

function isAt(path: string, { href, alsoAt = [] }: Place): boolean {
  return href === '/' ? path === '/' : [href, ...alsoAt].some((root) => `${path}/`.startsWith(`${root}/`));
}

const look = (isCurrent: boolean): string =>
  `inline-flex h-10 items-center gap-1.5 border-y-2 border-t-transparent px-2.5 whitespace-nowrap md:px-1.5 xl:px-2 transition md:h-12 ${
    isCurrent ? 'border-b-accent font-medium text-text' : 'border-b-transparent text-muted hover:text-text'
  }`;

interface PlaceLinkProps {
  readonly place: Place;
  readonly isCurrent: boolean;
  readonly onPress?: () => void;
}

function PlaceLink({ place: { href, label, description }, isCurrent, onPress }: PlaceLinkProps) {
  const isHydrated = useIsHydrated();
  const withRange = useCarriedRange();
  // Prefetching all places takes a third of the server's time for a page.
  const [isIntended, setIntended] = useState(false);
  const intend = () => setIntended(true);
  return (
    <Link
      href={withRange(href)}
      title={description}
      prefetch={isIntended ? null : false}
      onPointerEnter={intend}
      onFocus={intend}
      onClick={onPress}
      aria-current={isCurrent ? 'page' : undefined}
      className={look(isCurrent)}
    >
      {label}
      {href === '/' && isHydrated && <OpenIssues />}
      {href === '/sources' && isHydrated && <SourcesDown />}
    </Link>
  );
}

/** Counts the items in the first line of a row that wraps, and measures the room behind them, again when it or an item changes its size. */
function useFitting() {
  const row = useRef<HTMLUListElement>(null);
  const [found, setFound] = useState({ fitting: places.length, freePx: 0 });
  useLayoutEffect(() => {
    const element = row.current;
    if (element === null) return;
    const measure = () => {
      const items = [...element.children].filter((item) => item instanceof HTMLElement);
      const wrapped = items.findIndex(({ offsetTop }) => offsetTop > (items[0]?.offsetTop ?? 0));
      const fitting = wrapped < 0 ? items.length : wrapped;
      const { offsetLeft = 0, offsetWidth = 0 } = items[fitting - 1] ?? {};
      setFound({ fitting, freePx: element.offsetLeft + element.offsetWidth - offsetLeft - offsetWidth });
    };
    const sizes = new ResizeObserver(measure);
    for (const each of [element, ...element.children]) sizes.observe(each);
    measure();
    return () => sizes.disconnect();
  }, []);
  return { row, ...found };
}

function OpenIssues() {
  const { data: issues } = useQuestion('issues', openIssues);
  const open = issues?.counts.open ?? 0;
  if (open === 0) return null;
  return <StatusMark status="NACKED" word={formatCounted(open, 'issue')} sizePx={9} className="text-tiny" />;
}

function SourcesDown() {
  const { data: health } = useQuestion('health', {});
  const down = health?.sources.down ?? 0;
  if (down === 0) return null;
  return (
    <StatusMark status="UNHEALTHY" word={`${formatCount(down)} down`} sizePx={9} className="text-tiny" />
  );
}
