// How memory sees one request of a warp: cusimt/counters/transactions.py, rule by rule, for the page
// "Coalescing and bank conflicts". tests/browser/test_explorer.py holds the two together.
//
// `addresses` has one entry per lane: a byte address from 0 on, or null for a lane that takes no part. `size` is bytes
// per lane, `access` "load" or "store".
const MemoryModel = (() => {
  "use strict";
  const SECTOR = 32, BANKS = 32, BANK_BYTES = 4, WARP = 32;

  const ascending = (numbers) => [...new Set(numbers)].sort((a, b) => a - b);

  const active = (addresses) => addresses.flatMap((address, lane) => (address === null ? [] : [{ lane, address }]));

  // The numbers of the units of `unit` bytes that an access of `size` bytes at `start` touches.
  function unitsOf(start, size, unit) {
    const first = Math.floor(start / unit), last = Math.floor((start + size - 1) / unit);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  }

  const units = (addresses, size, unit) =>
    ascending(active(addresses).flatMap(({ address }) => unitsOf(address, size, unit)));

  // ---- global memory ----

  const sectorNumbers = (addresses, size) => units(addresses, size, SECTOR);
  const distinctBytes = (addresses, size) => units(addresses, size, 1).length;
  const idealSectors = (addresses, size) => Math.ceil(distinctBytes(addresses, size) / SECTOR);

  // ---- shared memory ----

  // Whether lanes i and i ^ distance want the same address, where both take part.
  const agree = (addresses, distance) =>
    active(addresses).every(({ lane, address }) => (addresses[lane ^ distance] ?? address) === address);

  // The active lanes, in the groups that share passes over the banks.
  function phases(addresses, size, access) {
    let together = size <= 4 ? WARP : size <= 8 ? WARP / 2 : WARP / 4;
    if (size > 4 && access === "load" && (agree(addresses, 1) || agree(addresses, 2))) together *= 2;
    const groups = new Map();
    for (const each of active(addresses)) {
      const group = Math.floor(each.lane / together);
      groups.set(group, [...(groups.get(group) ?? []), each]);
    }
    return [...groups.values()];
  }

  // What each bank has to serve to one group: a word to all lanes that want it.
  function stacks(group, size) {
    const served = new Map();
    for (const { lane, address } of group) {
      for (const word of unitsOf(address, size, BANK_BYTES)) {
        if (!served.has(word)) served.set(word, { word, lanes: [] });
        served.get(word).lanes.push(lane);
      }
    }
    const banks = new Map();
    for (const each of served.values()) {
      const bank = each.word % BANKS;
      banks.set(bank, [...(banks.get(bank) ?? []), each]);
    }
    return banks;
  }

  // Each pass: whether it is a bank conflict, and what each bank serves in it.
  function passes(addresses, size, access) {
    return phases(addresses, size, access).flatMap((group) => {
      const banks = [...stacks(group, size)];
      const rows = Math.max(...banks.map(([, stack]) => stack.length));
      return Array.from({ length: rows }, (_, number) => ({
        conflict: number > 0,
        served: new Map(banks.flatMap(([bank, stack]) => (stack[number] ? [[bank, stack[number]]] : []))),
      }));
    });
  }

  return { SECTOR, BANKS, active, sectorNumbers, distinctBytes, idealSectors, phases, passes };
})();
