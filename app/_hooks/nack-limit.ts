/** The number of groups that a list shows at first, and adds per click. The server prefetches as many. */
export const nackLimit = 300;
