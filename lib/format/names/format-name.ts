import { formatVisible } from '../visible-text';
import { parseName } from './parse-name';

/** The shown parts of a name, with its invisible characters made visible. */
interface NameParts {
  readonly title: string;
  readonly qualifiers: readonly string[];
}

/** "outbound|8080|v1|cart.shop.svc.cluster.local": title "cart.shop", qualifiers ":8080" and "v1". */
export function describeName(name: string, typeUrl?: string): NameParts {
  const parsed = parseName(name, typeUrl);
  return {
    title: formatVisible(parsed?.title ?? name),
    qualifiers: parsed?.qualifiers.map(formatVisible) ?? [],
  };
}

/** The same on one line: "cart.shop :8080 v1". */
export function formatName(name: string, typeUrl?: string): string {
  const { title, qualifiers } = describeName(name, typeUrl);
  return [title, ...qualifiers].join(' ');
}
