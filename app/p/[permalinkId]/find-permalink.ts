import { cache } from 'react';
import { getRuntime } from '@/server/index';

/** Once a request, however many of its layout, title and page ask. */
export const findPermalink = cache((id: string) => getRuntime().api.getPermalink(id));
