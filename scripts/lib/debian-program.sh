# Sourced by scripts in this folder, after `die` is defined. debian_program NAME PACKAGE prints the path of a program: that
# in PATH, else that of a Debian package, unpacked into the cache. To install the package would start a service.
debian_program() {
  local name=$1 package=$2 cache="${XDG_CACHE_HOME:-$HOME/.cache}/phonerack/debian" draft
  command -v "$name" && return
  if ! [ -x "$cache/$package/usr/bin/$name" ]; then
    command -v apt-get >/dev/null 2>&1 || die "$name is missing: install $package"
    mkdir -p "$cache"
    draft=$(mktemp -d "$cache/draft-XXXXXX")
    (
      cd "$draft"
      apt-get -q download "$package" >/dev/null 2>&1 || {
        apt-get -q update >/dev/null 2>&1
        apt-get -q download "$package" >/dev/null
      }
      dpkg-deb -x ./*.deb root
    ) >&2 || die "Debian's package $package could not be unpacked"
    rm -rf "${cache:?}/$package"
    mv "$draft/root" "$cache/$package"
    rm -rf "$draft"
  fi
  echo "$cache/$package/usr/bin/$name"
}
