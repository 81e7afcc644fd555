import { createSerializer, parseAsString, parseAsStringLiteral } from 'nuqs/server';
import { timeRangeParsers } from '@/app/_hooks/time-range-parsers';

const pushViews = ['pushes', 'resources'] as const;

export const pushesSearchParams = {
  view: parseAsStringLiteral(pushViews).withDefault('pushes'),
  /** With `version` or `resource` they select one push. In the view of resources `type` filters. */
  type: parseAsString.withDefault(''),
  version: parseAsString.withDefault(''),
  server: parseAsString.withDefault(''),
  resource: parseAsString.withDefault(''),
  hash: parseAsString.withDefault(''),
};

export const serializePushes = createSerializer({ ...pushesSearchParams, ...timeRangeParsers });
