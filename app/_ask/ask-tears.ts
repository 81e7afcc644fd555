import type { UseQueryOptions } from '@tanstack/react-query';
import type { Tears } from '@/lib/api/resolved';

/** `to`: ISO time, the end of the history that is read; absent: the end of the view. */
export type AskTears = (part: { readonly to?: string }) => UseQueryOptions<Tears>;
