/* SPDX-License-Identifier: Apache-2.0
 *
 * Namespaces of a wiki. Names are compared as MediaWiki's MediaWikiTitleCodec does: case-folded,
 * underscores as spaces, no space at either end. The older names are those of $namespaceAliases in
 * MediaWiki's languages/messages; a dump does not list them, so they are found by the name that it
 * does list.
 */
#include "corpus/read/format/wiki_site.h"

#include "base/memory.h"
#include "base/strings/append.h"
#include "text/utf8.h"

#include <stdlib.h>
#include <string.h>
#include <unicode/uchar.h>

enum { NAME_MAX_BYTES = 160 };

typedef struct {
    int key;
    char *name; /* case-folded */
} namespace;

struct ig_wiki_site {
    namespace *names;
    int64_t n, have;
    char language[12];
};

/* Equivalent names of a namespace; a dump lists one of them. */
static const struct {
    int key;
    const char *names;
} aliases[] = {
    {IG_WIKI_FILE, "file|image|immagine|文件|档案|檔案|图像|圖像|图片|圖片|影像"},
    {IG_WIKI_FILE, "datei|bild"},
    {IG_WIKI_FILE, "fichier|image"},
    {IG_WIKI_FILE, "archivo|imagen"},
    {IG_WIKI_FILE, "ficheiro|arquivo|imagem|imaxe"},
    {IG_WIKI_FILE, "fitxer|imatge"},
    {IG_WIKI_FILE, "bestand|afbeelding"},
    {IG_WIKI_FILE, "plik|grafika"},
    {IG_WIKI_FILE, "файл|изображение|зображення|выява|картинка"},
    {IG_WIKI_FILE, "датотека|слика|datoteka|slika|податотека"},
    {IG_WIKI_FILE, "soubor|obrázek"},
    {IG_WIKI_FILE, "súbor|obrázok"},
    {IG_WIKI_FILE, "fájl|kép"},
    {IG_WIKI_FILE, "fișier|fişier|imagine"},
    {IG_WIKI_FILE, "tiedosto|kuva"},
    {IG_WIKI_FILE, "fil|bild|billede|bilde|bilete"},
    {IG_WIKI_FILE, "pilt|fail"},
    {IG_WIKI_FILE, "fail|imej"},
    {IG_WIKI_FILE, "mynd"},
    {IG_WIKI_FILE, "attēls"},
    {IG_WIKI_FILE, "vaizdas"},
    {IG_WIKI_FILE, "fitxategi|irudi"},
    {IG_WIKI_FILE, "dosya|resim"},
    {IG_WIKI_FILE, "fayl|şəkil"},
    {IG_WIKI_FILE, "αρχείο|εικόνα"},
    {IG_WIKI_FILE, "קובץ|תמונה"},
    {IG_WIKI_FILE, "ملف|صورة"},
    {IG_WIKI_FILE, "پرونده|تصویر"},
    {IG_WIKI_FILE, "فائل|تصویر"},
    {IG_WIKI_FILE, "चित्र|फ़ाइल"},
    {IG_WIKI_FILE, "চিত্র|ছবি"},
    {IG_WIKI_FILE, "படிமம்"},
    {IG_WIKI_FILE, "దస్త్రం|బొమ్మ|ఫైలు"},
    {IG_WIKI_FILE, "പ്രമാണം|ചിത്രം"},
    {IG_WIKI_FILE, "ไฟล์|ภาพ"},
    {IG_WIKI_FILE, "tập tin|hình"},
    {IG_WIKI_FILE, "berkas|gambar"},
    {IG_WIKI_FILE, "ファイル|画像"},
    {IG_WIKI_FILE, "파일|그림"},
    {IG_WIKI_FILE, "ფაილი|სურათი"},
    {IG_WIKI_FILE, "պատկեր|ֆայլ"},
    {IG_WIKI_FILE, "dosiero|bildo"},
    {IG_WIKI_FILE, "fasciculus|imago"},
    {IG_WIKI_FILE, "delwedd"},
    {IG_WIKI_FILE, "íomhá"},
    {IG_WIKI_FILE, "lêer|beeld"},
    {IG_WIKI_FILE, "skeda|figura"},
    {IG_WIKI_FILE, "picha|faili"},
    {IG_WIKI_FILE, "talaksan|larawan"},
    {IG_WIKI_CATEGORY, "category|分类|分類|目錄|カテゴリ"},
    {IG_WIKI_CATEGORY, "kategorie"},
    {IG_WIKI_CATEGORY, "catégorie"},
    {IG_WIKI_CATEGORY, "categoría|categoria"},
    {IG_WIKI_CATEGORY, "categorie"},
    {IG_WIKI_CATEGORY, "kategoria"},
    {IG_WIKI_CATEGORY, "категория|категорія|катэгорыя|категорија|kategorija"},
    {IG_WIKI_CATEGORY, "kategória"},
    {IG_WIKI_CATEGORY, "luokka"},
    {IG_WIKI_CATEGORY, "kategori"},
    {IG_WIKI_CATEGORY, "flokkur"},
    {IG_WIKI_CATEGORY, "kategooria"},
    {IG_WIKI_CATEGORY, "kateqoriya"},
    {IG_WIKI_CATEGORY, "κατηγορία"},
    {IG_WIKI_CATEGORY, "קטגוריה"},
    {IG_WIKI_CATEGORY, "تصنيف"},
    {IG_WIKI_CATEGORY, "رده"},
    {IG_WIKI_CATEGORY, "زمرہ"},
    {IG_WIKI_CATEGORY, "श्रेणी|वर्ग"},
    {IG_WIKI_CATEGORY, "বিষয়শ্রেণী"},
    {IG_WIKI_CATEGORY, "பகுப்பு"},
    {IG_WIKI_CATEGORY, "వర్గం"},
    {IG_WIKI_CATEGORY, "വർഗ്ഗം"},
    {IG_WIKI_CATEGORY, "หมวดหมู่"},
    {IG_WIKI_CATEGORY, "thể loại"},
    {IG_WIKI_CATEGORY, "분류"},
    {IG_WIKI_CATEGORY, "კატეგორია"},
    {IG_WIKI_CATEGORY, "կատեգորիա"},
    {IG_WIKI_CATEGORY, "kategorio"},
    {IG_WIKI_CATEGORY, "jamii"},
    {IG_WIKI_CATEGORY, "kategorya"},
};

/* These are valid in every wiki. */
static const struct {
    int key;
    const char *name;
} english[] = {
    {IG_WIKI_MEDIA, "media"},
    {-1, "special"},
    {1, "talk"},
    {2, "user"},
    {3, "user talk"},
    {4, "project"},
    {5, "project talk"},
    {IG_WIKI_FILE, "file"},
    {IG_WIKI_FILE, "image"},
    {7, "file talk"},
    {7, "image talk"},
    {8, "mediawiki"},
    {9, "mediawiki talk"},
    {10, "template"},
    {11, "template talk"},
    {12, "help"},
    {13, "help talk"},
    {15, "category talk"},
    {IG_WIKI_CATEGORY, "category"},
};

/* Codes of Wikipedias, surrounded by blanks. */
static const char languages[] =
    " aa ab ace ady af ak als alt am ami an ang ann anp ar arc ary arz as ast atj av avk awa ay az"
    " azb ba ban bar bat-smg bbc bcl bdr be be-tarask be-x-old bew bg bh bho bi bjn blk bm bn bo"
    " bpy br bs btm bug bxr ca cbk-zam cdo ce ceb ch cho chr chy ckb co cr crh cs csb cu cv cy da"
    " dag de dga din diq dsb dtp dty dv dz ee el eml en eo es et eu ext fa fat ff fi fiu-vro fj fo"
    " fon fr frp frr fur fy ga gag gan gcr gd gl glk gn gom gor got gpe gsw gu guc gur guw gv ha"
    " hak haw he hi hif ho hr hsb ht hu hy hyw hz ia iba id ie ig igl ii ik ilo inh io is it iu ja"
    " jam jbo jv ka kaa kab kbd kbp kcg kg kge ki kj kk kl km kn knc ko koi kr krc ks ksh ku kus kv"
    " kw ky la lad lb lbe lez lfn lg li lij lld lmo ln lo lrc lt ltg lv lzh mad mai map-bms mdf mg"
    " mh mhr mi min mk ml mn mni mnw mo mos mr mrj ms mt mus mwl my myv mzn na nah nan nap nb nds"
    " nds-nl ne new ng nia nl nn no nov nqo nr nrm nso nup nv ny oc olo om or os pa pag pam pap pcd"
    " pcm pdc pfl pi pih pl pms pnb pnt ps pt pwn qu rm rmy rn ro roa-rup roa-tara rsk ru rue rup"
    " rw sa sah sat sc scn sco sd se sg sgs sh shi shn si simple sk skr sl sm smn sn so sq sr srn "
    "ss"
    " st stq su sv sw szl szy ta tay tcy tdd te tet tg th ti tig tk tl tly tn to tpi tr trv ts tt"
    " tum tw ty tyv udm ug uk ur uz ve vec vep vi vls vo vro wa war wo wuu xal xh xmf yi yo yue za"
    " zea zgh zh zh-classical zh-min-nan zh-yue zu ";

ig_code ig_wiki_site_new(ig_wiki_site **out, ig_err *err)
{
    return ig_alloc(out, 1, sizeof **out, "namespaces", err);
}

void ig_wiki_site_free(ig_wiki_site *s)
{
    if (s == NULL)
        return;
    for (int64_t i = 0; i < s->n; i++)
        ig_free(s->names[i].name);
    IG_FREE(s->names, s);
}

static bool is_gap(char c)
{
    return c == ' ' || c == '_' || c == '\t';
}

/* Folds a name for comparison; returns its length, 0 if it is empty or too long. */
static int64_t fold(char out[NAME_MAX_BYTES], const char *name, int64_t n)
{
    const uint8_t *p = (const uint8_t *)name, *const end = p + n;
    int64_t to = 0;
    while (p < end) {
        uint32_t c;
        const bool gap = is_gap((char)*p);
        p += ig_utf8_next(p, end, &c, NULL);
        if (gap && (to == 0 || out[to - 1] == ' '))
            continue;
        if (to + 5 > NAME_MAX_BYTES)
            return 0;
        to += ig_utf8_put((uint8_t *)out + to,
                          gap ? ' ' : (uint32_t)u_foldCase((UChar32)c, U_FOLD_CASE_DEFAULT));
    }
    to -= to > 0 && out[to - 1] == ' ';
    out[to] = '\0';
    return to;
}

ig_code ig_wiki_site_add(ig_wiki_site *s, int key, const char *name, int64_t n, ig_err *err)
{
    char folded[NAME_MAX_BYTES];
    if (key == IG_WIKI_ARTICLE || fold(folded, name, n) == 0)
        return IG_ERR_OK;
    IG_TRY(ig_grow(&s->names, &s->have, s->n + 1, sizeof *s->names, "namespaces", err));
    IG_TRY(ig_copy_text(&s->names[s->n].name, folded, "namespaces", err));
    s->names[s->n++].key = key;
    return IG_ERR_OK;
}

void ig_wiki_site_set_language(ig_wiki_site *s, const char *tag)
{
    size_t n = strcspn(tag, "-_");
    n = n < sizeof s->language ? n : 0;
    for (size_t i = 0; i < n; i++)
        s->language[i] = (char)(tag[i] >= 'A' && tag[i] <= 'Z' ? tag[i] - 'A' + 'a' : tag[i]);
    s->language[n] = '\0';
}

const char *ig_wiki_site_language(const ig_wiki_site *s)
{
    return s->language;
}

/* Whether `name` is in a row. */
static bool in_row(const char *row, const char *name)
{
    const size_t n = strlen(name);
    while (true) {
        const size_t m = strcspn(row, "|");
        if (m == n && memcmp(row, name, n) == 0)
            return true;
        if (row[m] == '\0')
            return false;
        row += m + 1;
    }
}

/* The names of a row are valid if the dump has one of them, or names no such namespace. */
static bool row_counts(const ig_wiki_site *s, int key, const char *row)
{
    bool named = false;
    for (int64_t i = 0; i < s->n; i++) {
        if (s->names[i].key != key)
            continue;
        named = true;
        if (in_row(row, s->names[i].name))
            return true;
    }
    return !named;
}

int ig_wiki_site_namespace(const ig_wiki_site *s, const char *title, int64_t n)
{
    char name[NAME_MAX_BYTES];
    const char *colon = memchr(title, ':', (size_t)n);
    if (colon == NULL || fold(name, title, colon - title) == 0)
        return IG_WIKI_ARTICLE;
    for (int64_t i = 0; i < s->n; i++)
        if (strcmp(s->names[i].name, name) == 0)
            return s->names[i].key;
    for (size_t i = 0; i < sizeof english / sizeof *english; i++)
        if (strcmp(english[i].name, name) == 0)
            return english[i].key;
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
        if (in_row(aliases[i].names, name) && row_counts(s, aliases[i].key, aliases[i].names))
            return aliases[i].key;
    return IG_WIKI_ARTICLE;
}

bool ig_wiki_is_interlanguage(const char *title, int64_t n)
{
    char code[NAME_MAX_BYTES + 2] = " ";
    const char *colon = memchr(title, ':', (size_t)n);
    const int64_t m =
        colon != NULL && colon - title < 20 ? fold(code + 1, title, colon - title) : 0;
    if (m < 2 || strchr(code + 1, ' ') != NULL)
        return false;
    strcpy(code + 1 + m, " ");
    return strstr(languages, code) != NULL;
}
