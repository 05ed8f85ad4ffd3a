// Races in words.
#include "Machine.h"
#include "RaceCheck.h"
#include <cstdio>
#include <dlfcn.h>

using namespace tilec::emulator;

namespace {
constexpr size_t mostReports = 32;

std::string hexadecimal(std::uintptr_t number) {
  char text[32];
  std::snprintf(text, sizeof(text), "0x%llx", static_cast<unsigned long long>(number));
  return text;
}

/// Where code is, as far as the loader knows.
std::string placeOf(const void *place) {
  Dl_info info;
  if (!dladdr(place, &info) || !info.dli_fname)
    return hexadecimal(reinterpret_cast<std::uintptr_t>(place));
  const std::string file = info.dli_fname;
  return file.substr(file.rfind('/') + 1) + "+" +
         hexadecimal(reinterpret_cast<std::uintptr_t>(place) - reinterpret_cast<std::uintptr_t>(info.dli_fbase));
}

const char *kindOf(const Access &access) {
  if (access.narrow())
    return access.writes() ? "atomic write at scope agent" : "atomic read at scope agent";
  if (access.atomic())
    return access.writes() ? "atomic write" : "atomic read";
  return access.writes() ? "write" : "read";
}
} // namespace

std::string RaceCheck::inWords(const Access &access) const {
  const Component &component = components[access.component];
  const Tenant *tenant = &component.tenants.front();
  for (const Tenant &candidate : component.tenants)
    if (candidate.since <= access.tick)
      tenant = &candidate;
  std::string text = std::string(kindOf(access)) + " by " + tenant->name;
  if (access.lane == manyLanes)
    text += ", several lanes";
  else if (tenant->name.starts_with("workgroup"))
    text += ", lane " + std::to_string(access.lane);
  if (!access.place)
    return text;
  const std::string place = namePlace ? namePlace(access.place) : "";
  return text + ", at " + (place.empty() ? placeOf(access.place) : place);
}

void RaceCheck::report(const Access &first, const Access &second, const Workgroup *ldsOf, std::uintptr_t address,
                       int bytes) {
  const void *memory = reinterpret_cast<const void *>(address);
  const std::string pardon = first.poisons() && !ldsOf && excuse ? excuse(memory) : "";
  if (muted || (pardon.empty() ? races : excused).size() >= mostReports ||
      !reported.insert({first.place, second.place, first.kind, second.kind, pardon}).second)
    return;
  std::string what;
  if (ldsOf) {
    what = "lds, byte " + std::to_string(address - reinterpret_cast<std::uintptr_t>(ldsOf->lds)) + " of workgroup " +
           std::to_string(ldsOf->block.x) + " of rank " + std::to_string(ldsOf->device);
  } else {
    what = nameMemory ? nameMemory(memory) : "";
    if (what.empty())
      what = "device memory at " + hexadecimal(address);
  }
  what = std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes") + " of " + what;
  const std::string unwritten = "unwritten: " + what + " hold nothing\n  " + inWords(second);
  if (!pardon.empty())
    excused.push_back(unwritten + "\n  " + pardon);
  else if (first.poisons())
    tell(unwritten);
  else
    tell("race: " + what + "\n  first:  " + inWords(first) + "\n  second: " + inWords(second) +
         ", with nothing that orders them");
}

void RaceCheck::tell(std::string text) {
  if (aloud)
    std::fprintf(stderr, "%s\n", text.c_str());
  races.push_back(std::move(text));
}

std::string RaceCheck::lastWriter(const void *memory) {
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  Granule *granule = shadow.find(address);
  for (std::uint32_t i = 0; granule && i < granule->count; ++i) {
    const Cell &cell = granule->cells()[i];
    if (cell.access.writes() && (cell.mask >> address % Granule::bytes & 1))
      return inWords(cell.access);
  }
  return "";
}
